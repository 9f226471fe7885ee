import { Agent, get } from 'node:https';
import { rootCertificates } from 'node:tls';
import { certificateNames } from '../acme/certificate-names.ts';
import { createCertificateStore } from '../acme/certificate-store.ts';
import { readAuthorities } from '../certificate-files.ts';
import type { Config } from '../config.ts';
import type { TlsConfig } from '../tls-config.ts';
import { type Finding, fault, reasonOf, sound, warning } from './finding.ts';

const answerMs = 10_000;

type OrderedTls = TlsConfig & { readonly acme: NonNullable<TlsConfig['acme']> };

/** The certificate that the server orders itself: what is stored, and whether its authority can be reached. */
export async function examineOrderedCertificate(
  config: Config,
  tls: OrderedTls,
  now: number,
): Promise<readonly Finding[]> {
  return [...storedCertificate(config, tls, now), await examineAuthority(tls)];
}

function storedCertificate(
  config: Config,
  { certFile: file, acme }: Pick<OrderedTls, 'certFile' | 'acme'>,
  now: number,
): readonly Finding[] {
  const subject = 'certificate';
  const names = certificateNames(config);
  const inStore = createCertificateStore(file).read();
  if (inStore === undefined)
    return [sound(subject, `none is stored: the next start orders one for ${names.join(', ')}`)];
  const { certificate: stored, directory = acme.directory } = inStore;
  const date = stored.validToDate.toISOString().slice(0, 10);
  if (stored.issuer === stored.subject) {
    const sentence = `${file} is temporary, and phones refuse it: start the server, and see "certificate could not be ordered" in its log`;
    return [warning(subject, sentence)];
  }
  if (directory !== acme.directory) {
    const sentence = `${file} was ordered at ${directory}: the next start orders one at ${acme.directory}`;
    return [warning(subject, sentence)];
  }
  const missing = names.filter((name) => stored.checkHost(name, { wildcards: false }) === undefined);
  return [
    stored.validToDate.getTime() < now
      ? fault(
          subject,
          `${file} ended on ${date}: start the server, which renews it, and see "certificate could not be ordered" in its log`,
        )
      : sound(subject, `valid until ${date}; the server renews it in time`),
    missing.length === 0
      ? sound('names of the certificate', `it names ${names.join(', ')}`)
      : warning(
          'names of the certificate',
          `it does not name ${missing.join(', ')}: the next start orders another`,
        ),
  ];
}

/** RFC 8555 §7.1.1: a directory says where orders are placed. */
async function examineAuthority({ acme, authoritiesFile }: OrderedTls): Promise<Finding> {
  const subject = 'authority of the certificate';
  const { directory } = acme;
  try {
    const authorities = authoritiesFile === undefined ? [] : readAuthorities(authoritiesFile);
    const text = await read(directory, [...rootCertificates, ...authorities]);
    if (JSON.parse(text).newOrder !== undefined)
      return sound(subject, `${directory} answers; it has to reach port ${acme.port} here as port 80`);
    return fault(
      subject,
      `JACKFIELD_ACME_DIRECTORY: ${directory} answers without newOrder: it is no ACME directory`,
    );
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'its answer is no JSON' : reasonOf(error);
    return fault(
      subject,
      `JACKFIELD_ACME_DIRECTORY: ${directory} cannot be read (${reason}): correct it, allow HTTPS to it, or name its authority in JACKFIELD_TLS_CA`,
    );
  }
}

function read(url: string, ca: readonly string[]): Promise<string> {
  const agent = new Agent({ ca: [...ca] });
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, signal: AbortSignal.timeout(answerMs) }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => resolve(Buffer.concat(parts).toString('utf8')));
    });
    request.on('error', reject);
  });
}
