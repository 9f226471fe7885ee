import { request as httpRequest } from 'node:http';

export interface Visited {
  readonly status: number;
  /** Absolute; undefined without a redirect. */
  readonly location: string | undefined;
  readonly text: string;
}

/** A browser as far as redirects and cookies concern it: cookies by host and port, and the headers of a navigation. */
export class WanderingBrowser {
  readonly #jars = new Map<string, Map<string, string>>();

  cookiesOf(url: string): ReadonlyMap<string, string> {
    return this.#jars.get(new URL(url).host) ?? new Map();
  }

  /** As an attacker does who knows a cookie. */
  plant(url: string, name: string, value: string): void {
    const { host } = new URL(url);
    this.#jars.set(host, new Map([...(this.#jars.get(host) ?? []), [name, value]]));
  }

  visit(address: string, from: 'same-origin' | 'cross-site' = 'same-origin'): Promise<Visited> {
    const url = new URL(address);
    const jar = this.#jars.get(url.host) ?? new Map<string, string>();
    this.#jars.set(url.host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      'sec-fetch-site': from,
      'sec-fetch-mode': 'navigate',
      ...(cookie === '' ? {} : { cookie }),
    };
    return new Promise((resolve, reject) => {
      const sent = httpRequest(url, { headers, agent: false }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        answer.on('end', () => {
          for (const line of answer.headers['set-cookie'] ?? []) keep(jar, line);
          const { location } = answer.headers;
          resolve({
            status: answer.statusCode ?? 0,
            location: location === undefined ? undefined : new URL(location, url).href,
            text,
          });
        });
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  /** Follows redirects to the first address that `isEnd` accepts, which is not visited. */
  async follow(address: string, isEnd: (url: string) => boolean): Promise<string> {
    let next = address;
    for (let redirects = 0; redirects < 20; redirects++) {
      const { status, location, text } = await this.visit(
        next,
        redirects === 0 ? 'same-origin' : 'cross-site',
      );
      if (location === undefined) throw new Error(`${next} answered ${status} and no redirect: ${text}`);
      if (isEnd(location)) return location;
      next = location;
    }
    throw new Error(`no end after twenty redirects, at ${next}`);
  }
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';');
  const equals = pair.indexOf('=');
  const [name, value] = [pair.slice(0, equals).trim(), pair.slice(equals + 1)];
  const isOver = attributes.some((each) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(each));
  if (isOver || value === '') jar.delete(name);
  else jar.set(name, value);
}
