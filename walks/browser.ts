import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import WebSocket from 'ws'
import { newStorage } from '../client/testing/browser.ts'
import { loadPage, type Page } from './load.ts'
import { newAddressBar, newLocks, newTimers } from './platform.ts'

/** A headless tab. */
export interface Tab extends Page {
  /** Gives the tab the focus, or takes it away. */
  setLookedAt(isLookedAt: boolean): void
  /** The frames that its sockets have brought, as they came. */
  frames: string[]
  /** Brings a frame that the server has not sent. */
  hears(text: string): void
  /** Stops everything that runs in the tab, at whatever point it is. */
  close(): void
}

/** A person's browser. Its tabs share cookies, storage and locks. */
export interface Browser {
  opensTab(): Promise<Tab>
  goesOffline(): void
  comesBack(): void
  /** The clock of its computer jumps to so many ms from the true time. */
  jumpsTo(offsetMs: number): void
  /** Returns the names of the browser's databases. */
  databases(): Promise<string[]>
  /** Returns the cookie of the session that its tabs share, such as "name=value"; '' if nobody is signed in. */
  cookie(): string
}

interface Opened {
  sockets: Set<WebSocket>
  frames: string[]
  /** The target where the page listens for `online` and `offline`. */
  events: EventTarget
}

/** Makes an empty browser for the server at this URL. */
export function newBrowser(url: string): Browser {
  const { origin } = new URL(url)
  const factory = new IDBFactory()
  const name = crypto.randomUUID()
  const shared = { localStorage: newStorage(), navigator: { userAgent: 'Firefox/140.0 Linux', locks: newLocks() } }
  const opened = new Set<Opened>()
  let cookie = ''
  let isOnline = true
  let offsetMs = 0
  const jumpingDate = new Proxy(Date, {
    construct: (target, given) => Reflect.construct(target, given.length > 0 ? given : [Date.now() + offsetMs]),
    get: (target, name) => (name === 'now' ? () => Date.now() + offsetMs : Reflect.get(target, name)),
  })

  async function ask(place: string, init: RequestInit): Promise<Response> {
    if (!isOnline) throw new TypeError('Failed to fetch')
    const { method = 'GET', body } = init
    const headers = { ...Object.fromEntries(new Headers(init.headers)), origin, ...(cookie && { cookie }) }
    const answer = await fetch(url + place, { method, headers, ...(body && { body }) })
    const bytes = await answer.arrayBuffer()
    for (const line of answer.headers.getSetCookie()) if (line.includes('_session=')) cookie = keptCookie(line)
    // The connection broke during the request: the server has processed it, but the page gets no response.
    if (!isOnline) throw new TypeError('Failed to fetch')
    return new Response(answer.status === 304 || answer.status === 204 ? null : bytes, answer)
  }

  async function opensTab(): Promise<Tab> {
    const tab: Opened = { sockets: new Set(), frames: [], events: new EventTarget() }
    const timers = newTimers()
    const document = Object.assign(new EventTarget(), { visibilityState: 'visible', hasFocus: () => isLookedAt })
    let isLookedAt = false
    let isClosed = false

    /** A closed tab gets no response. */
    async function answered(place: string, init: RequestInit): Promise<Response> {
      return isClosed ? new Promise(() => undefined) : await ask(place, init)
    }
    class Socket extends WebSocket {
      constructor(address: string) {
        // Offline, the socket connects to a port where nobody listens.
        super(isOnline && !isClosed ? address : 'ws://127.0.0.1:1', { headers: { cookie } })
        tab.sockets.add(this)
        this.on('message', (frame) => tab.frames.push(String(frame)))
        this.on('close', () => tab.sockets.delete(this))
        this.on('error', () => this.terminate())
      }
    }
    class Channel extends BroadcastChannel {
      constructor(topic: string) {
        super(`${name} ${topic}`)
        // An open channel would keep the Node process running.
        Object(this).unref()
      }
    }
    const events = tab.events
    const globals = {
      ...shared,
      ...timers.globals,
      ...{ indexedDB: factory, document, BroadcastChannel: Channel, sessionStorage: newStorage(), Date: jumpingDate },
      ...newAddressBar(origin),
      addEventListener: events.addEventListener.bind(events),
      removeEventListener: events.removeEventListener.bind(events),
      dispatchEvent: events.dispatchEvent.bind(events),
      fetch: answered,
    }
    const page = await loadPage(globals, {
      fetch: answered,
      socketUrl: `${url.replace('http', 'ws')}/ws`,
      Socket: Socket as unknown as typeof globalThis.WebSocket,
    })
    opened.add(tab)
    return {
      ...page,
      frames: tab.frames,
      hears(text) {
        for (const socket of tab.sockets) socket.emit('message', Buffer.from(text), false)
      },
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
    jumpsTo(ms) {
      offsetMs = ms
    },
    databases: async () => (await factory.databases()).map(({ name = '' }) => name),
    cookie: () => cookie,
  }
}

/** Returns the session in a Set-Cookie header; '' if the header deletes it. */
function keptCookie(line: string): string {
  const [pair = ''] = line.split(';')
  return pair.endsWith('=') ? '' : pair
}
