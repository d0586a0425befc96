// Without zod: the service worker stays small.

/** `answered`: in another browser. */
export type PushKind = 'message' | 'ring' | 'missed' | 'answered'

/** Names no sender. */
export interface PushNews {
  kind: PushKind
}

/** All have this length: by theirs a push service tells no kinds apart. */
export const PUSH_CHARS = 32

export const RING_MS = 45_000

const call = 'conclave-pushed-call'

/** Each replaces the one of its tag before. */
export const PUSHED: Record<PushKind, { tag: string; title: string }> = {
  message: { tag: 'conclave-pushed', title: 'New message' },
  ring: { tag: call, title: 'Incoming call' },
  missed: { tag: call, title: 'Missed call' },
  answered: { tag: call, title: 'Answered in another browser' },
}
