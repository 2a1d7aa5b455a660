struct Body { float x, y, z, mass; };
struct Box { float low, high; };

__global__ void move(Body* bodies, const Body* old, Box box, float dt, int count) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= count) return;
  bodies[i].x = fminf(fmaxf(old[i].x + dt, box.low), box.high);
}
