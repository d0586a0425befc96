import { readFile } from 'node:fs/promises'

/** What a Chromium has opened, by the log that it keeps with `netLogWords`. */
export interface Opened {
  /** Addresses of TCP connections. */
  connections: string[]
  /** Addresses that a datagram went to. */
  datagrams: string[]
  /** Hosts that were asked for, but for the browser's maker by the browser itself. */
  hosts: string[]
}

export const netLogWords = (path: string): string[] => [`--log-net-log=${path}`]

/** Hosts of Chromium's maker, whom it asks for updates, forms and leaked passwords. */
export const OF_CHROMIUM = /(^|\.)google(apis)?\.com$/
/** Its word for a request that no page has begun. */
const NO_PAGE = 'not an origin'

interface Log {
  constants: { logEventTypes: Record<string, number> }
  events: { type: number; source: { id: number }; params?: { address?: string; url?: string; initiator?: string } }[]
}

/** Reads the log of a browser that has been closed. */
export async function readNetLog(path: string): Promise<Opened> {
  const { constants, events }: Log = JSON.parse(await readFile(path, 'utf8'))
  const of = (name: string) => events.filter(({ type }) => type === constants.logEventTypes[name])
  // A socket that is connected and sends nothing asks the kernel alone, as Chromium does to learn whether there is IPv6.
  const senders = new Set(of('UDP_BYTES_SENT').map(({ source }) => source.id))
  const bound = of('UDP_CONNECT').filter(({ source, params }) => senders.has(source.id) && params?.address)
  const unbound = of('UDP_BYTES_SENT').flatMap(({ params }) => params?.address ?? [])
  const requests = of('URL_REQUEST_START_JOB').flatMap(({ params }) => {
    if (!params?.url || !/^(http|ws)s?:/.test(params.url)) return []
    const { host, hostname } = new URL(params.url)
    return params.initiator === NO_PAGE && OF_CHROMIUM.test(hostname) ? [] : host
  })
  const once = (values: string[]) => [...new Set(values)].sort()
  return {
    connections: once(of('TCP_CONNECT_ATTEMPT').flatMap(({ params }) => params?.address ?? [])),
    datagrams: once([...bound.map(({ params }) => params?.address ?? ''), ...unbound]),
    hosts: once(requests),
  }
}
