import { type FailedLogin, type Promised, sourceOf, whenThere } from '@jackfield/ports';
import type { SipRequest } from '@jackfield/sip';
import type { Admission, Admitted, Refused } from '../admission/admission.ts';
import type { DefenceParts } from './defence-parts.ts';
import { FailureDelays } from './failure-delays.ts';
import { listedSource } from './known-flows.ts';
import { credentialsIn, hasCredentials } from './source-proofs.ts';

/** Wraps an admission: keeps its decisions, remembers senders that it accepts, and counts, bans and delays failed logins. */
export function createLoginWatch(
  parts: DefenceParts,
  failed: ((login: FailedLogin) => void) | undefined,
): (admission: Admission) => Admission {
  const { clock, bans, known, counters, isProven, isTrusted } = parts;
  const delays = new FailureDelays(parts.limits);

  function remember(admitted: Admitted, request: SipRequest, address: string, flow: string): void {
    // Parsed again only while there are failures to forget: this costs a twentieth of a REGISTER.
    if (delays.size > 0) {
      const { username } = credentialsIn(request);
      if (username !== undefined) delays.succeeded(sourceOf(address), username);
    }
    // An external caller has proved nothing: its source stays unknown.
    if (admitted.external !== undefined) return;
    // A sender admitted by its address alone has proved nothing about its port: forged ports would fill the memory.
    const mayBeListed = admitted.trunk !== undefined || admitted.carrier !== undefined;
    const hasShown = mayBeListed
      ? isProven(request, address, undefined)
      : admitted.token !== undefined || hasCredentials(request);
    known.add(hasShown ? flow : listedSource(sourceOf(address)), clock.now());
  }

  function isFailedLogin(refused: Refused, request: SipRequest, address: string, flow: string): boolean {
    if (refused.status !== 401 || !hasCredentials(request)) return false;
    // The password was right; only its nonce was too old.
    if (refused.headers.some(([, value]) => /, ?stale=true/i.test(value))) return false;
    // A failure counts when its source is genuine: it came over a connection, or with a fresh nonce of that source.
    return !flow.startsWith('udp-') || isProven(request, address, undefined);
  }

  /** Counts a failed login; returns the delay of its refusal in milliseconds. */
  function punish(request: SipRequest, address: string, flow: string): number {
    counters.failedLogins += 1;
    known.remove(flow);
    const now = clock.now();
    const source = sourceOf(address);
    const { username, realm } = credentialsIn(request);
    failed?.({ source: address, username, realm });
    if (isTrusted(address)) return 0;
    if (!parts.isNeverBanned(address) && bans.failed(source, now)) parts.reportBan(source, 'failed-logins');
    return delays.failed(source, username ?? '', now);
  }

  function counted(
    decided: Admitted | Refused,
    ...sent: [request: SipRequest, address: string, flow: string]
  ): Promised<Admitted | Refused> {
    if (decided.ok) remember(decided, ...sent);
    else if (isFailedLogin(decided, ...sent)) {
      const delayMs = punish(...sent);
      // The password was checked at once: a right one never waits for the refusals of wrong ones.
      if (delayMs > 0)
        return new Promise((resolve) => {
          clock.startTimer(clock.now() + delayMs, () => resolve(decided));
        });
    }
    return decided;
  }

  return (admission) => ({
    admit: (request, address, flow) =>
      whenThere(admission.admit(request, address, flow), (decided) =>
        counted(decided, request, address, flow),
      ),
  });
}
