export { askByUdp } from './ask-by-udp.ts';
export { askStun } from './ask-stun.ts';
