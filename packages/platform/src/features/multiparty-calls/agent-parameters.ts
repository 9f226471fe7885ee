import { type NewParticipant, readOneOf, readRequest, streamContentTypes } from '@jackfield/contract';
import { invalidParameter, missingParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { allowedWebSocketUrl, isWebSocketUrl, readExtraHeaders } from '../streams/index.ts';
import type { AgentStream } from './domain/participant.ts';

/** The stream of an ai-agent (docs/interface/multiparty-calls.md#programs-as-agents); null for other roles. */
export function readAgent(body: NewParticipant): Result<AgentStream | null> {
  const url = body.ai_agent_stream_service_url;
  if (body.role.toLowerCase() !== 'ai-agent') {
    if (url === undefined) return accepted(null);
    const allowed = 'left out where role is not ai-agent';
    return refused(invalidParameter('ai_agent_stream_service_url', url, allowed));
  }
  if (url === undefined) return refused(missingParameter('ai_agent_stream_service_url'));
  if (!isWebSocketUrl(url)) {
    return refused(invalidParameter('ai_agent_stream_service_url', 'another one', allowedWebSocketUrl));
  }
  const extraHeaders = readExtraHeaders(body.ai_agent_stream_extra_headers, 'ai_agent_stream_extra_headers');
  if (!extraHeaders.ok) return extraHeaders;
  return accepted({
    serviceUrl: url,
    contentType: readOneOf(streamContentTypes, body.ai_agent_stream_content_type) ?? 'audio/x-l16;rate=8000',
    extraHeaders: extraHeaders.value,
    statusCallback: readRequest(
      body.ai_agent_stream_status_callback_url,
      body.ai_agent_stream_status_callback_method,
    ),
  });
}
