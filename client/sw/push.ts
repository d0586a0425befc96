import { PUSHED, type PushNews } from '../../contract/chat/pushnews.ts'

const SUBSCRIPTIONS = '/api/push/subscriptions'
const KEY = '/api/push/key'

/** Unknown kinds get the app's name. */
const TITLES: Record<PushNews['kind'], string> = { message: PUSHED.title }

export function listenForPush(scope: ServiceWorkerGlobalScope): void {
  scope.addEventListener('push', (event) => event.waitUntil(showNews(scope, kindOf(event.data))))
  scope.addEventListener('notificationclick', (event) => {
    event.notification.close()
    event.waitUntil(openPage(scope))
  })
  scope.addEventListener('pushsubscriptionchange', (event: ExtendableEvent) => event.waitUntil(subscribeAgain(scope)))
}

async function showNews(scope: ServiceWorkerGlobalScope, kind: string): Promise<void> {
  // A visible page tells by itself. A hidden one may be frozen.
  if ((await pagesOf(scope)).some(({ visibilityState }) => visibilityState === 'visible')) return
  const title = Object.entries(TITLES).find(([known]) => known === kind)?.[1] ?? 'Conclave'
  await scope.registration.showNotification(title, { tag: PUSHED.tag, icon: '/favicon.svg' })
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

/** The push service has ended the subscription. */
async function subscribeAgain({ registration }: ServiceWorkerGlobalScope): Promise<void> {
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
