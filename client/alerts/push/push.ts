import { pushApi } from '../../../contract/chat/push.ts'
import { PUSHED } from '../../../contract/chat/pushnews.ts'
import { toBase64Url } from '../../../contract/ground/bytes.ts'
import type { Env } from '../../env.ts'
import { isRefused } from '../../net/api.ts'
import { isOnionOrigin } from '../../net/onion.ts'
import { registerWorker } from '../../net/workers.ts'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { changePrefs, storedPrefs } from '../notifications/newsPrefs.ts'

/** What this browser lets its push service do: `default` is not asked yet. `onion`: a push would come beside Tor. */
export type PushStanding = 'onion' | 'insecure' | 'unsupported' | NotificationPermission

export function pushStanding(): PushStanding {
  if (isOnionOrigin()) return 'onion'
  if (!globalThis.isSecureContext) return 'insecure'
  const isKnown = 'Notification' in globalThis && 'PushManager' in globalThis && 'serviceWorker' in navigator
  return isKnown ? Notification.permission : 'unsupported'
}

/** True on an iPhone or iPad whose page is not on the Home Screen. */
export function lacksHomeScreen(): boolean {
  const { userAgent, maxTouchPoints } = navigator
  // An iPad says that it is a Mac.
  const isApple = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1)
  return isApple && pushStanding() === 'unsupported'
}

/** Why this browser cannot be woken, in words for the person. */
class NoPush extends Error {}

/** Has this browser told of news while it is closed. Says why where that cannot be. Call it where a press has led. */
export async function switchPushOn(env: Env): Promise<void> {
  if (pushStanding() === 'default') await Notification.requestPermission()
  if (pushStanding() !== 'granted') return
  try {
    await subscribe(env)
    changePrefs({ isPushed: true })
  } catch (error) {
    showToast({ tone: 'bad', title: 'This browser cannot be told while Conclave is closed', text: wordsOf(error) })
  }
}

/** Ends it, for the server too. */
export async function switchPushOff(env: Env): Promise<void> {
  changePrefs({ isPushed: false })
  try {
    // The server sends no more, even if the push service does not answer.
    await dropPush().catch(() => undefined)
    await env.api(pushApi.unsubscribe, {})
  } catch (error) {
    showToast({ tone: 'bad', title: 'The server does not know of it yet', text: failureWords(error) })
  }
}

/**
 * Subscribes anew at the start of a session, if the person has switched it on: the session may be another one than before, the
 * subscription may have ended, and the server may have another key.
 */
export async function renewPush(env: Env): Promise<void> {
  if (!storedPrefs().isPushed || pushStanding() !== 'granted') return
  await closeRings()
  try {
    await subscribe(env)
  } catch (error) {
    if (!(error instanceof NoPush)) throw error
    changePrefs({ isPushed: false })
    showToast({ tone: 'bad', title: 'This browser is no longer told while Conclave is closed', text: error.message })
  }
}

/** An open page rings by itself. */
async function closeRings(): Promise<void> {
  const { tag, title } = PUSHED.ring
  const registration = await navigator.serviceWorker.getRegistration()
  for (const shown of (await registration?.getNotifications?.({ tag })) ?? []) if (shown.title === title) shown.close()
}

/** Ends this browser's subscription at its push service, which then refuses what the server still sends. */
export async function dropPush(): Promise<void> {
  const registration = await globalThis.navigator?.serviceWorker?.getRegistration()
  const subscription = await registration?.pushManager?.getSubscription()
  await subscription?.unsubscribe()
}

async function subscribe(env: Env): Promise<void> {
  const { key } = await env.api(pushApi.key, {})
  if (key === null) throw new NoPush('This server tells no closed browsers.')
  const registration = await registerWorker()
  if (!registration) throw new NoPush('It keeps no service worker, as in some private windows.')
  try {
    await post(env, await subscriptionOf(registration, key))
  } catch (error) {
    if (!isRefused(error, 'push_subscription_taken')) throw error
    // Somebody who has used this browser has subscribed with other keys: a new one is of this account alone.
    await dropPush()
    await post(env, await subscriptionOf(registration, key))
  }
}

async function post(env: Env, subscription: PushSubscription): Promise<void> {
  await env.api(pushApi.subscribe, pushApi.subscribe.input.parse(subscription.toJSON()))
}

/** The subscription that this browser has, or a new one where it has none or one of another key. */
async function subscriptionOf({ pushManager }: ServiceWorkerRegistration, key: string): Promise<PushSubscription> {
  const known = await pushManager.getSubscription()
  const knownKey = known?.options.applicationServerKey
  if (known && knownKey && toBase64Url(new Uint8Array(knownKey)) === key) return known
  try {
    await known?.unsubscribe()
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  } catch (error) {
    throw new NoPush(`Its push service does not answer: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const wordsOf = (error: unknown): string => (error instanceof NoPush ? error.message : failureWords(error))
