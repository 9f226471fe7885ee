import { Agent } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { CertificateAuthority, ChallengeAnswers } from '@jackfield/ports';
import acme from 'acme-client';

export interface AcmeOptions {
  /** The URL of the authority's directory (RFC 8555 §7.1.1). */
  readonly directory: string;
  /** PEM; the authority knows its client by this key. */
  readonly accountKey: string;
  readonly answers: ChallengeAnswers;
  /** Authorities that may have signed the certificate of the directory, besides the public ones. */
  readonly authorities: readonly string[];
}

/** The time limit of one request; an order has about ten. */
const requestMs = 30_000;
/** An authority checks the names within seconds; these bounds end an order after about five minutes. */
const polls = { backoffAttempts: 15, backoffMin: 1_000, backoffMax: 30_000 };

export async function createAccountKey(): Promise<string> {
  return String(await acme.crypto.createPrivateEcdsaKey('P-256'));
}

/** An authority that speaks ACME (RFC 8555), by the challenge http-01. An account is made with the first order. */
export function createAcmeAuthority(options: AcmeOptions): CertificateAuthority {
  const { directory: directoryUrl, accountKey, answers, authorities } = options;
  const { defaults } = acme.axios;
  defaults.timeout = requestMs;
  if (authorities.length > 0) defaults.httpsAgent = new Agent({ ca: [...rootCertificates, ...authorities] });

  async function ordered(names: readonly string[]) {
    const [key, csr] = await acme.crypto.createCsr(
      { commonName: names[0]!, altNames: [...names] },
      await acme.crypto.createPrivateEcdsaKey('P-256'),
    );
    const client = new acme.Client({ directoryUrl, accountKey, ...polls });
    // Finds the account of an earlier order. Without this `auto` would send an empty update of the account, which authorities refuse.
    await client.createAccount({ onlyReturnExisting: true }).catch(() => undefined);
    const cert = await client.auto({
      csr,
      termsOfServiceAgreed: true,
      challengePriority: ['http-01'],
      // The authority checks from outside; behind NAT our own check could fail where that one succeeds.
      skipChallengeVerification: true,
      async challengeCreateFn({ identifier }, { type, token }, answer) {
        if (type !== 'http-01')
          throw new Error(`the authority offers no challenge http-01 for ${identifier.value}`);
        answers.put(token, answer);
      },
      challengeRemoveFn: async (_, { token }) => answers.remove(token),
    });
    return { cert, key: String(key) };
  }

  return {
    async order(names) {
      try {
        return await ordered(names);
      } catch (error) {
        // Errors of its HTTP client carry the whole request, which does not belong in a log.
        throw new Error(`${new URL(directoryUrl).host}: ${(error as Error).message}`);
      }
    },
  };
}
