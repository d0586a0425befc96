import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import WebSocket from 'ws'
import { loadPage, type Page } from './load.ts'
import { newAddressBar, newLocks, newStorage, newTimers } from './platform.ts'

/** A tab without a screen. */
export interface Tab extends Page {
  /** The person looks at this tab, or at something else. */
  setLookedAt(isLookedAt: boolean): void
  /** Nothing of it runs any further, wherever it was. */
  close(): void
}

/** A browser of somebody's. Its tabs share cookies, storage and locks. */
export interface Browser {
  opensTab(): Promise<Tab>
  goesOffline(): void
  comesBack(): void
  /** The names of the databases that lie in it. */
  databases(): Promise<string[]>
}

interface Opened {
  sockets: Set<WebSocket>
  /** Where the page listens for `online` and `offline`. */
  events: EventTarget
}

/** A new browser, as at a new computer, before the server at this address. */
export function newBrowser(url: string): Browser {
  const { origin } = new URL(url)
  const factory = new IDBFactory()
  const name = crypto.randomUUID()
  const shared = { localStorage: newStorage(), navigator: { userAgent: 'Firefox/140.0 Linux', locks: newLocks() } }
  const opened = new Set<Opened>()
  let cookie = ''
  let isOnline = true

  async function ask(place: string, init: RequestInit): Promise<Response> {
    if (!isOnline) throw new TypeError('Failed to fetch')
    const { method = 'GET', body } = init
    const headers = { ...Object.fromEntries(new Headers(init.headers)), origin, ...(cookie && { cookie }) }
    const answer = await fetch(url + place, { method, headers, ...(body && { body }) })
    const text = await answer.text()
    for (const line of answer.headers.getSetCookie()) if (line.includes('_session=')) cookie = keptCookie(line)
    // The connection broke meanwhile: what was asked took effect, and nobody hears of it.
    if (!isOnline) throw new TypeError('Failed to fetch')
    return new Response(answer.status === 304 || answer.status === 204 ? null : text, answer)
  }

  async function opensTab(): Promise<Tab> {
    const tab: Opened = { sockets: new Set(), events: new EventTarget() }
    const timers = newTimers()
    const document = Object.assign(new EventTarget(), { visibilityState: 'visible', hasFocus: () => isLookedAt })
    let isLookedAt = false
    let isClosed = false

    class Socket extends WebSocket {
      constructor(address: string) {
        // Without a network: a port that nobody listens on.
        super(isOnline && !isClosed ? address : 'ws://127.0.0.1:1', { headers: { cookie } })
        tab.sockets.add(this)
        this.on('close', () => tab.sockets.delete(this))
        this.on('error', () => this.terminate())
      }
    }
    class Channel extends BroadcastChannel {
      constructor(topic: string) {
        super(`${name} ${topic}`)
        // Node waits for every channel that is open.
        Object(this).unref()
      }
    }
    const events = tab.events
    const globals = {
      ...shared,
      ...timers.globals,
      ...{ indexedDB: factory, document, BroadcastChannel: Channel, sessionStorage: newStorage() },
      ...newAddressBar(origin),
      addEventListener: events.addEventListener.bind(events),
      removeEventListener: events.removeEventListener.bind(events),
      dispatchEvent: events.dispatchEvent.bind(events),
    }
    const page = await loadPage(globals, {
      // A closed tab hears no answer.
      fetch: async (place, init) => (isClosed ? new Promise(() => undefined) : await ask(place, init)),
      socketUrl: `${url.replace('http', 'ws')}/ws`,
      Socket: Socket as unknown as typeof globalThis.WebSocket,
    })
    opened.add(tab)
    return {
      ...page,
      setLookedAt(next) {
        isLookedAt = next
        events.dispatchEvent(new Event('focus'))
        document.dispatchEvent(new Event('visibilitychange'))
      },
      close() {
        isClosed = true
        page.stop()
        opened.delete(tab)
        timers.stop()
        for (const socket of tab.sockets) socket.removeAllListeners('message').terminate()
      },
    }
  }

  return {
    opensTab,
    goesOffline() {
      isOnline = false
      for (const { sockets, events } of opened) {
        for (const socket of sockets) socket.terminate()
        events.dispatchEvent(new Event('offline'))
      }
    },
    comesBack() {
      isOnline = true
      for (const { events } of opened) events.dispatchEvent(new Event('online'))
    },
    databases: async () => (await factory.databases()).map(({ name = '' }) => name),
  }
}

/** The session of a Set-Cookie line; '' where it was taken away. */
function keptCookie(line: string): string {
  const [pair = ''] = line.split(';')
  return pair.endsWith('=') ? '' : pair
}
