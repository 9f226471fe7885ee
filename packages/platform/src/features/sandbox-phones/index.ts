export { behaviours, type Conduct } from './domain/behaviours.ts';
export { greeting, sentences } from './domain/sentences.ts';
export {
  type CallingNotice,
  type CallingPhones,
  greetingClip,
  type PhoneOrder,
  startSandboxPhones,
  talkerClip,
  type Voicemail,
} from './start-sandbox-phones.ts';
