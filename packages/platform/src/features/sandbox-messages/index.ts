export {
  createSandboxMessages,
  type SandboxMessagesDeps,
  type SandboxMessagesFeature,
} from './sandbox-messages.ts';
