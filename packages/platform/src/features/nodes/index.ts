export { createNodes } from './create-nodes.ts';
