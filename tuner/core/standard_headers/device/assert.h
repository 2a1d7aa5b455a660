// NVRTC declares assert; as in C, each inclusion obeys NDEBUG.
#ifdef NDEBUG
#undef assert
#define assert(...) ((void)0)
#endif
