#ifndef _TUNER_STDDEF_H
#define _TUNER_STDDEF_H
#undef offsetof
#define offsetof(type, member) (::size_t)__INTADDR__(&(((type*)0)->member))
#endif
