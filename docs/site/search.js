// Search over the sections of the manual. The index is a script, because a page that was opened as a file may not read
// other files. It is loaded when it is first needed. `page.html?q=words` searches at once.
"use strict";
(() => {
  const root = document.currentScript.dataset.root;
  const box = document.getElementById("search");
  const results = document.getElementById("results");
  const mostResults = 30;
  let loading = null;

  const load = () => loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = root + "search-index.js";
    script.onload = () => done(searchIndex);
    script.onerror = failed;
    document.head.append(script);
  });

  // A section must have every word; one in its heading counts more than many in its text.
  const score = (heading, text, words) => {
    let sum = 0;
    for (const word of words) {
      const inText = text.split(word).length - 1;
      const inHeading = heading.includes(word) ? (heading === word ? 40 : 20) : 0;
      if (inText + inHeading === 0) return 0;
      sum += inHeading + Math.min(inText, 10);
    }
    return sum;
  };

  const excerpt = (text, word) => {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
    return (at > 0 ? "… " : "") + text.slice(at, at + 200) + (at + 200 < text.length ? " …" : "");
  };

  const show = (found, words) => {
    results.replaceChildren(...found.slice(0, mostResults).map(({page, anchor, heading, text}) => {
      const link = document.createElement("a");
      link.href = root + page + "#" + anchor;
      link.textContent = heading;
      const where = document.createElement("small");
      where.textContent = " " + page;
      const words_around = document.createElement("p");
      words_around.textContent = excerpt(text, words[0]);
      const item = document.createElement("li");
      item.append(link, where, words_around);
      return item;
    }));
    if (found.length === 0) results.textContent = "Nothing in the manual has all of these words.";
    results.hidden = false;
  };

  const search = async () => {
    const words = box.value.toLowerCase().split(/\s+/).filter((word) => word);
    if (words.length === 0) {
      results.hidden = true;
      return;
    }
    const index = await load();
    const found = [];
    for (const [page, anchor, heading, text] of index) {
      const points = score(heading.toLowerCase(), text.toLowerCase(), words);
      if (points > 0) found.push({points, page, anchor, heading, text});
    }
    found.sort((a, b) => b.points - a.points);
    show(found, words);
  };

  box.addEventListener("input", search);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== box) {
      event.preventDefault();
      box.focus();
    }
  });
  // On a telephone the list of pages would fill the screen.
  if (matchMedia("(max-width: 50rem)").matches) document.getElementById("pages").open = false;
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    box.value = asked;
    search();
  }
})();
