// NVRTC declares assert, until an inclusion finds NDEBUG.
#ifdef NDEBUG
#undef assert
#define assert(...) ((void)0)
#endif
