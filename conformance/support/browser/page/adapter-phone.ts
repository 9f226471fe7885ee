import * as adapter from '@jackfield/voice-sdk/plivo';
import { openWith } from './hosted-sdk-client.ts';

export {
  answer,
  call,
  callUuid,
  digits,
  hangUp,
  login,
  loginWithToken,
  loginWithTokens,
  mute,
  reject,
  unmute,
} from './hosted-sdk-client.ts';

/** The client of the adapter; the program is that for the hosted SDK. */
export function open(url: string): void {
  openWith(adapter, url);
}
