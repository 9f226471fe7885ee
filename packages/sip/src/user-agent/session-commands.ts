import type { HeaderPairs } from '../dialog/answers.ts';
import type { Content, OfferMethod, SessionInput } from '../dialog/session-state.ts';
import type { Call } from './call-listener.ts';

type Commands = Pick<
  Call,
  'offer' | 'sendInfo' | 'refer' | 'acceptReferral' | 'refuseReferral' | 'reportReferral'
>;

/** The commands of an owner that go to the session of its call, whichever side called. */
export abstract class SessionCommands implements Commands {
  readonly #reasonPhrase: (status: number) => string;

  constructor(reasonPhrase: (status: number) => string) {
    this.#reasonPhrase = reasonPhrase;
  }

  protected abstract send(input: SessionInput): void;

  offer(content: Content, method?: OfferMethod): void {
    this.send({ type: 'offer', content, ...(method && { method }) });
  }

  sendInfo(content: Content): void {
    this.send({ type: 'send-info', content });
  }

  refer(uri: string, headers?: HeaderPairs): void {
    this.send({ type: 'send-refer', uri, ...(headers && { headers }) });
  }

  acceptReferral(): void {
    this.send({ type: 'accept-referral' });
  }

  refuseReferral(status = 603, headers?: HeaderPairs): void {
    this.send({ type: 'refuse-referral', status, ...(headers && { headers }) });
  }

  reportReferral(status: number): void {
    this.send({ type: 'report-referral', status, phrase: this.#reasonPhrase(status) });
  }
}
