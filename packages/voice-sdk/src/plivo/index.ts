import { Client } from './client.ts';
import type { ConfiguationOptions } from './options.ts';

export type { CallInfo } from './call-info.ts';
export { Client } from './client.ts';
export type { ClientEvents, ConfiguationOptions } from './options.ts';

/** The class that programs for the hosted service's browser SDK create; its `client` is all that they use. */
export class Plivo {
  readonly client: Client;

  constructor(options: ConfiguationOptions) {
    this.client = new Client(options);
  }
}
