import { type BaresipOptions, BaresipPhone } from './baresip-phone.ts';

/** A server with an API for endpoints, where their phones register. */
interface PhoneServer {
  /** `host:port` */
  readonly sipAddress: string;
  createEndpoint(name: string, password: string): Promise<{ readonly username: string }>;
}

/** A phone with an endpoint of its own. */
export interface RegisteredPhone {
  readonly phone: BaresipPhone;
  readonly username: string;
}

/** The foreign phones of a test, which ends all of them at once. */
export class RegisteredPhones {
  readonly #started: BaresipPhone[] = [];

  /** Creates the endpoint and resolves when its phone is registered. */
  async start(
    server: PhoneServer,
    name: string,
    toneHz: number,
    options: Partial<BaresipOptions> = {},
  ): Promise<RegisteredPhone> {
    const password = `secret-of-${name}`;
    const { username } = await server.createEndpoint(name, password);
    const registrar = server.sipAddress;
    const phone = await BaresipPhone.start({ registrar, username, password, toneHz, ...options });
    this.#started.push(phone);
    await phone.registered();
    return { phone, username };
  }

  /** Hangs up all calls at once, then ends the phones. */
  async stop(): Promise<void> {
    const phones = this.#started.splice(0);
    for (const phone of phones) phone.hangUp();
    await Promise.all(phones.map((phone) => phone.stop()));
  }
}
