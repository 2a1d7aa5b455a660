// Types that are passed by value: for the kernels of values.cu, and for the programs that launch them.
#pragma once

struct Box {
  float3 low, high;
  int3 cells;
};

struct Padded {
  char tag;
  double weight;
  short count;
  bool on;
};

struct Stencil {
  int radius;
  float weights[7];
  unsigned char tags[3];
};

enum class Mode : unsigned char { sum, peak, last };
struct Rule {
  Mode mode;
  bool inverted;
  long long limit;
};

struct Large {
  double values[24];
  int last;
  float end;
};

struct alignas(32) Aligned {
  double first;
  char second;
};

template <class A, class B>
struct Pair {
  A first;
  B second;
};
typedef Pair<float, Pair<int, double>> Nest;

struct Point {
  float x, y, z;
#ifdef __CUDACC__
  __device__ Point(float x, float y, float z) : x(x), y(y), z(z) {}
#endif
};
struct Camera {
  Point from, to;
  float angle;
};

struct Bits {
  unsigned first : 3;
  int second : 5;
  union {
    float real;
    int bits;
  };
};
