export { behaviours, type Conduct } from './domain/behaviours.ts';
export {
  type CallingNotice,
  type CallingPhones,
  greetingClip,
  type PhoneOrder,
  startSandboxPhones,
  talkerClip,
  type Voicemail,
} from './sandbox-phones.ts';
export { greeting, sentences } from './sentences.ts';
