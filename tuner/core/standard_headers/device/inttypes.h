#include <__tuner/stdint.h>
