import * as hosted from 'plivo-browser-sdk';
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

export function open(url: string): void {
  openWith(hosted, url);
}
