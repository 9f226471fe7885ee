export { createCallBlackBox } from './create-call-black-box.ts';
