export { spawnBound } from '@jackfield/testkit/bound-child';
