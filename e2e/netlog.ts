import { readFile } from 'node:fs/promises'

/** Where a Chromium went. `hosts` leaves out what the browser itself asked its maker. */
export interface Opened {
  connections: string[]
  datagrams: string[]
  /** Ports that wait for anybody's datagrams, as each look for a way of a call opens some. */
  ports: string[]
  hosts: string[]
}

export const netLogWords = (path: string): string[] => [`--log-net-log=${path}`]

/** Its maker's, for updates, forms and leaked passwords. */
export const OF_CHROMIUM = /(^|\.)google(apis)?\.com$/
const NO_PAGE = 'not an origin'

interface Log {
  constants: { logEventTypes: Record<string, number> }
  events: { type: number; source: { id: number }; params?: { address?: string; url?: string; initiator?: string } }[]
}

/** Reads the log of a browser that has been closed. */
export async function readNetLog(path: string): Promise<Opened> {
  const { constants, events }: Log = JSON.parse(await readFile(path, 'utf8'))
  const of = (name: string) => events.filter(({ type }) => type === constants.logEventTypes[name])
  // Chromium connects some and sends nothing, to learn from the kernel whether there is IPv6.
  const senders = new Set(of('UDP_BYTES_SENT').map(({ source }) => source.id))
  const bound = of('UDP_CONNECT').filter(({ source, params }) => senders.has(source.id) && params?.address)
  const unbound = of('UDP_BYTES_SENT').flatMap(({ params }) => params?.address ?? [])
  const connected = new Set(of('UDP_CONNECT').map(({ source }) => source.id))
  const waiting = of('UDP_LOCAL_ADDRESS').filter(({ source }) => !connected.has(source.id))
  const requests = of('URL_REQUEST_START_JOB').flatMap(({ params }) => {
    if (!params?.url || !/^(http|ws)s?:/.test(params.url)) return []
    const { host, hostname } = new URL(params.url)
    return params.initiator === NO_PAGE && OF_CHROMIUM.test(hostname) ? [] : host
  })
  const once = (values: string[]) => [...new Set(values)].sort()
  return {
    connections: once(of('TCP_CONNECT_ATTEMPT').flatMap(({ params }) => params?.address ?? [])),
    datagrams: once([...bound.map(({ params }) => params?.address ?? ''), ...unbound]),
    ports: once(waiting.map(({ params }) => params?.address ?? '')),
    hosts: once(requests),
  }
}
