import { PUSHED, RING_MS } from '../../contract/chat/pushnews.ts'

const SUBSCRIPTIONS = '/api/push/subscriptions'
const KEY = '/api/push/key'
const UNKNOWN = { tag: PUSHED.message.tag, title: 'Conclave' }

export function listenForPush(scope: ServiceWorkerGlobalScope): void {
  scope.addEventListener('push', (event) => event.waitUntil(showNews(scope, kindOf(event.data))))
  scope.addEventListener('notificationclick', (event) => {
    event.notification.close()
    event.waitUntil(openPage(scope))
  })
  scope.addEventListener('pushsubscriptionchange', (event: ExtendableEvent) => event.waitUntil(subscribeAgain(scope)))
}

async function showNews(scope: ServiceWorkerGlobalScope, kind: string): Promise<void> {
  const [, { tag, title }] = Object.entries(PUSHED).find(([known]) => known === kind) ?? ['', UNKNOWN]
  // A visible page tells by itself. A hidden one may be frozen.
  if ((await pagesOf(scope)).some(({ visibilityState }) => visibilityState === 'visible'))
    return await closeRing(scope, kind, tag)
  const icon = '/favicon.svg'
  if (kind !== 'ring') return await scope.registration.showNotification(title, { tag, icon })
  const data = crypto.randomUUID()
  // Without renotify a call would take the place of a missed one in silence.
  const rings = { tag, icon, data, requireInteraction: true, renotify: true }
  await scope.registration.showNotification(title, rings)
  // How it ended comes by another push, which a server that was started anew never sends.
  await new Promise((resolve) => setTimeout(resolve, RING_MS))
  await closeAll(scope, tag, (shown) => shown.data === data)
}

/** Ends the notification of a ring that is over. */
async function closeRing(scope: ServiceWorkerGlobalScope, kind: string, tag: string): Promise<void> {
  if (kind === 'missed' || kind === 'answered') await closeAll(scope, tag, () => true)
}

async function closeAll(
  { registration }: ServiceWorkerGlobalScope,
  tag: string,
  isOver: (shown: Notification) => boolean,
): Promise<void> {
  for (const notification of await registration.getNotifications({ tag })) if (isOver(notification)) notification.close()
}

function kindOf(data: PushMessageData | null): string {
  try {
    const said: unknown = data?.json()
    return typeof said === 'object' && said !== null && 'kind' in said ? String(said.kind) : ''
  } catch {
    return ''
  }
}

async function openPage(scope: ServiceWorkerGlobalScope): Promise<void> {
  const pages = await pagesOf(scope)
  const page = pages.find(({ visibilityState }) => visibilityState === 'visible') ?? pages[0]
  if (page) await page.focus()
  else await scope.clients.openWindow('/')
}

/** The push service has ended the subscription. By an onion address there is none: it would come beside Tor. */
async function subscribeAgain({ registration, location }: ServiceWorkerGlobalScope): Promise<void> {
  if (location.hostname.endsWith('.onion')) return
  const answer = await fetch(KEY, { cache: 'no-store' })
  if (!answer.ok) return
  const { key }: { key: string | null } = await answer.json()
  if (key === null) return
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  const headers = { 'Content-Type': 'application/json' }
  await fetch(SUBSCRIPTIONS, { method: 'POST', headers, body: JSON.stringify(subscription) })
}

const pagesOf = ({ clients }: ServiceWorkerGlobalScope): Promise<readonly WindowClient[]> =>
  clients.matchAll({ type: 'window', includeUncontrolled: true })
