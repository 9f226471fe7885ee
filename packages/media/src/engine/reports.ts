import { middleOfNtp, roundTripMs } from '../rtp/receiver-statistics.ts';
import { createReportBlock, readRtcp, type SenderInfo, writeRtcp } from '../rtp/rtcp.ts';
import type { Leg } from './leg.ts';
import type { SendPacket } from './send-packet.ts';

/** Seconds from 1900, the NTP epoch, to 1970. */
const NTP_OFFSET_S = 2_208_988_800;
/** RFC 3550 §6.2: the mean interval; each interval is drawn from 0.5 to 1.5 times it (§6.3.1). */
const INTERVAL_MS = 5000;

const reportBytes = 256;

/** Sends and reads the RTCP reports of all legs. */
export interface Reporting {
  /** Sends SR or RR when due; with `goodbye` immediately, followed by BYE. */
  send(leg: Leg, nowMs: number, goodbye: boolean): void;
  /** Handles RTCP for the leg, from its own port or multiplexed with RTP. False when it is not the leg's. */
  receive(leg: Leg, bytes: Uint8Array, length: number, address: string, port: number, nowMs: number): boolean;
  schedule(leg: Leg, nowMs: number): void;
}

/** What reporting needs from the engine. */
export interface ReportingDeps {
  readonly sendPacket: SendPacket;
  readonly sendReport: SendPacket;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** RFC 3550 §6.5.1: one CNAME for all streams of this engine; not a secret. */
  readonly cname: string;
  /** The decrypted packet. */
  readonly plain: Uint8Array;
}

/** RTCP of all legs (RFC 3550 §6). */
export function createReporting(deps: ReportingDeps): Reporting {
  const { sendPacket, sendReport, random, cname, plain } = deps;
  const out = new Uint8Array(reportBytes);
  const block = createReportBlock();
  const one = [block];
  const none: typeof one = [];
  const schedule = (leg: Leg, nowMs: number): void => {
    leg.reportDueMs = nowMs + INTERVAL_MS * (0.5 + random());
  };
  return {
    schedule,
    send(leg, nowMs, goodbye) {
      if (leg.agreed === undefined || leg.awaitsKeys) return;
      // RFC 3550 §6.3.7: a participant that has sent nothing must not send BYE.
      if (goodbye && !leg.hasReported && leg.rtp.packetsSent + leg.past.packetsSent === 0) return;
      schedule(leg, nowMs);
      if (leg.toAddress === '') return;
      const sender: SenderInfo | undefined =
        leg.rtp.packetsSent === 0
          ? undefined
          : {
              ntpSeconds: ntpSeconds(nowMs),
              ntpFraction: ntpFraction(nowMs),
              rtpTimestamp: leg.rtp.timestamp,
              packets: leg.rtp.packetsSent,
              octets: leg.rtp.octetsSent,
            };
      const reports = leg.received.report(nowMs, block) ? one : none;
      let length = writeRtcp(out, leg.rtp.ssrc, cname, sender, reports, goodbye);
      if (length >= 0 && leg.protection !== undefined) {
        length = leg.protection.sender.protectReport(out, length);
      }
      if (length < 0) return;
      leg.hasReported = true;
      const isMuxed = leg.isChecked || leg.agreed.rtcpPort === leg.agreed.port;
      if (isMuxed) sendPacket(leg.index, out, length, leg.toAddress, leg.toPort);
      else sendReport(leg.index, out, length, leg.toAddress, leg.toReportPort);
    },
    receive(leg, bytes, length, address, port, nowMs) {
      // Accept reports from the address of the audio only: they are not authenticated, and our statistics depend on
      // them.
      if (leg.awaitsKeys) return false;
      if (!leg.isChecked && address !== leg.toAddress) {
        leg.strangers++;
        return false;
      }
      let packets: ReturnType<typeof readRtcp>;
      if (leg.protection === undefined) packets = readRtcp(bytes, length);
      else {
        const size = leg.protection.receiver.unprotectReport(bytes, length, plain);
        if (size < 0) return false;
        packets = readRtcp(plain, size);
      }
      if (packets === undefined) {
        leg.malformed++;
        return false;
      }
      if (leg.agreed?.rtcpPort !== leg.agreed?.port) leg.toReportPort = port;
      for (const packet of packets) {
        if (packet.type === 'sender-report') {
          leg.received.senderReport(packet.sender.ntpSeconds, packet.sender.ntpFraction, nowMs);
        }
        if (packet.type !== 'sender-report' && packet.type !== 'receiver-report') continue;
        for (const report of packet.reports) {
          if (report.ssrc !== leg.rtp.ssrc) continue;
          leg.remoteFractionLost = report.fractionLost / 256;
          const middle = middleOfNtp(ntpSeconds(nowMs), ntpFraction(nowMs));
          leg.roundTripMs = roundTripMs(report, middle) ?? leg.roundTripMs;
        }
      }
      return true;
    },
  };
}

function ntpSeconds(epochMs: number): number {
  return (Math.floor(epochMs / 1000) + NTP_OFFSET_S) >>> 0;
}

function ntpFraction(epochMs: number): number {
  return Math.floor(((epochMs % 1000) / 1000) * 2 ** 32) >>> 0;
}
