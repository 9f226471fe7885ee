export { createApplicationOf } from './application-of.ts';
export {
  type CallInstructionsFeature,
  createCallInstructions,
} from './call-instructions.ts';
export type { AnsweringApplication } from './commands.ts';

export type { MultipartyJoin } from './effects.ts';

export { readSoundDocument } from './parse/read-sound-document.ts';
export type { RunOrder } from './run-on-leg.ts';
export { readSipHeaders } from './sip-headers.ts';
