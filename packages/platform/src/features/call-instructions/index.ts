export {
  type CallInstructionsDeps,
  type CallInstructionsFeature,
  createCallInstructions,
} from './call-instructions.ts';
export type { AnsweringApplication, ApplicationOf } from './commands.ts';
export type { ActionRequest, Instruction, MultiPartyCall, ReadDocument } from './domain/instruction.ts';
export type { MultipartyJoin } from './effects.ts';
export type { RequestSettings, SignRequest } from './fetch-document.ts';
export { readDocument } from './parse/read-document.ts';
export { readSoundDocument } from './parse/read-sound-document.ts';
export type { RunOrder } from './run-on-leg.ts';
export { readSipHeaders } from './sip-headers.ts';
