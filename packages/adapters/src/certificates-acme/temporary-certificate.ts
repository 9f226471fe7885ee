import { webcrypto } from 'node:crypto';
import type { IssuedCertificate } from '@jackfield/ports';
import { PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;

/** A self-signed certificate, with which TLS starts before an authority has issued one. Clients that check certificates refuse it. */
export async function createTemporaryCertificate(
  names: readonly string[],
  now: Date,
): Promise<IssuedCertificate> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: 'CN=Jackfield temporary certificate',
      notBefore: now,
      notAfter: new Date(now.getTime() + 30 * dayMs),
      keys,
      signingAlgorithm: algorithm,
      extensions: [new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))],
    },
    webcrypto,
  );
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') };
}
