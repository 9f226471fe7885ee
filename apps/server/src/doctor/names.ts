import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { hostOf, namesInUse } from '../acme/certificate-names.ts';
import { readCertificate } from '../certificate-files.ts';
import type { Config } from '../config.ts';
import { type Finding, fault, reasonOf, sound, unknown, warning } from './finding.ts';
import { examineOrderedCertificate } from './ordered-certificate.ts';
import { generalAddresses } from './public-address.ts';

const dayMs = 86_400_000;
/** Tools that renew certificates begin 30 days before the end; later than 14 something is wrong with them. */
const soonDays = 14;

/** Whether the certificate can be used, how long, and for which names. */
export async function examineCertificate(config: Config, now: number): Promise<readonly Finding[]> {
  const { tls } = config;
  const subject = 'certificate';
  if (tls === undefined)
    return [sound(subject, 'none is configured: SIP and the API have no TLS of their own')];
  const { acme } = tls;
  if (acme !== undefined) return examineOrderedCertificate(config, { ...tls, acme }, now);
  let read: ReturnType<typeof readCertificate>;
  try {
    read = readCertificate(tls);
  } catch (error) {
    return [fault(subject, reasonOf(error))];
  }
  const days = Math.floor((read.expires.getTime() - now) / dayMs);
  const date = read.expires.toISOString().slice(0, 10);
  const leaf = new X509Certificate(read.cert);
  const missing = namesInUse(config).filter(
    (name) =>
      (isIP(name) === 0 ? leaf.checkHost(name, { wildcards: false }) : leaf.checkIP(name)) === undefined,
  );
  return [
    days < 0
      ? fault(subject, `JACKFIELD_TLS_CERT: ${tls.certFile} ended on ${date}; renew it`)
      : days < soonDays
        ? warning(subject, `JACKFIELD_TLS_CERT: ${tls.certFile} ends on ${date}, in ${days} days; renew it`)
        : sound(subject, `valid until ${date}`),
    missing.length === 0
      ? sound('names of the certificate', `it names ${namesInUse(config).join(', ')}`)
      : warning(
          'names of the certificate',
          `JACKFIELD_TLS_CERT: it does not name ${missing.join(', ')}; phones that check names refuse it there: request one with these names`,
        ),
  ];
}

/** Whether the names under which phones and customers reach the server lead to its public address. */
export async function examineDns(config: Config): Promise<readonly Finding[]> {
  const { sandbox, sip, publicUrl } = config;
  if (sandbox) return [sound('DNS', 'the sandbox needs no name: its phones are inside the process')];
  const names = [...new Set([...sip.domains, hostOf(publicUrl)])].filter(
    (name) => isIP(name) === 0 && !/(^|\.)localhost$/.test(name),
  );
  if (names.length === 0)
    return [
      warning(
        'DNS',
        'JACKFIELD_SIP_DOMAINS names no host of the Internet: phones elsewhere find this server by its address alone; name a host that leads here',
      ),
    ];
  return Promise.all(names.map((name) => examineName(name, generalAddresses(config))));
}

async function examineName(name: string, own: readonly string[]): Promise<Finding> {
  const subject = `DNS of ${name}`;
  try {
    const addresses = (await lookup(name, { all: true })).map(({ address }) => address);
    if (addresses.some((each) => own.includes(each)))
      return sound(subject, `leads to ${addresses.join(', ')}`);
    return warning(
      subject,
      `leads to ${addresses.join(', ')}, and the public address is ${own.join(', ')}: correct one of them, unless a proxy or NAT is in between`,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTFOUND')
      return fault(
        subject,
        `the name is unknown: make ${own.map((each) => `an ${isIP(each) === 6 ? 'AAAA' : 'A'} record for ${each}`).join(' and ')}`,
      );
    return unknown(subject, `no name server answers (${reasonOf(error)}): see /etc/resolv.conf`);
  }
}
