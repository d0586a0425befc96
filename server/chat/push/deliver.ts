import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import { PUSH_CHARS, type PushKind, type PushNews } from '../../../contract/chat/pushnews.ts'
import type { Env } from '../../env.ts'
import type { Subscription } from './store.ts'
import { publicVapidKey } from './vapid.ts'

const DAY_SECONDS = 24 * 60 * 60
/**
 * How long a push service keeps a push for a browser that is off. One with a topic replaces one of that topic which waits: a message any
 * other, because a topic must tell nothing of a room. A call replaces no message.
 */
const KEPT: Record<PushKind, { TTL: number; topic?: string }> = {
  message: { TTL: DAY_SECONDS, topic: 'news' },
  ring: { TTL: CALL_LIMITS.ringSeconds },
  missed: { TTL: DAY_SECONDS },
  answered: { TTL: CALL_LIMITS.ringSeconds },
}
/** The contact of a server without a public address. */
const NO_ADDRESS = 'mailto:operator@conclave.invalid'

/** `gone`: there is no such subscription any more. `failed`: another time, after `afterSeconds` at the earliest. */
export type Delivery = { outcome: 'sent' } | { outcome: 'gone' } | { outcome: 'failed'; afterSeconds: number }

/** Sends one push: what the browser alone can open, and headers that are the same for everybody, by its kind. */
export async function deliver(env: Env, subscription: Subscription, news: PushNews): Promise<Delivery> {
  const { headers, body } = await requestOf(env, subscription, news)
  try {
    const answer = await env.outbound.send(subscription.endpoint, { method: 'POST', headers, body, answerBytes: 0 })
    if (answer.status >= 200 && answer.status < 300) return { outcome: 'sent' }
    if (answer.status === 404 || answer.status === 410) return { outcome: 'gone' }
    return { outcome: 'failed', afterSeconds: Number(answer.headers['retry-after']) || 0 }
  } catch {
    // A browser chose this address, so its failures are no errors of ours.
    return { outcome: 'failed', afterSeconds: 0 }
  }
}

async function requestOf({ config, vapidKey }: Env, { endpoint, p256dh, auth }: Subscription, news: PushNews) {
  // Loaded when the first push is sent: at the start it would cost every server about 0.1 s.
  const { default: webpush } = await import('web-push')
  const keys = { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') }
  const { headers, body } = webpush.generateRequestDetails({ endpoint, keys }, JSON.stringify(news).padEnd(PUSH_CHARS), {
    vapidDetails: {
      subject: config.publicUrl?.protocol === 'https:' ? config.publicUrl.origin : NO_ADDRESS,
      publicKey: publicVapidKey(vapidKey),
      privateKey: Buffer.from(vapidKey).toString('base64url'),
    },
    ...KEPT[news.kind],
    ...{ urgency: 'high', contentEncoding: 'aes128gcm' },
  })
  return { headers, body }
}
