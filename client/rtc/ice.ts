export interface IceServer {
  urls: string[]
  username?: string | undefined
  credential?: string | undefined
}

// RFC 7064, RFC 7065.
const STUN = /^stuns?:[^\s?/]+$/
const TURN = /^turns?:[^\s?/]+(\?transport=(udp|tcp))?$/

/** Drops addresses that browsers throw at: the error would look like a broken microphone. */
export function usableServers(servers: readonly IceServer[]): RTCIceServer[] {
  return servers.flatMap(({ urls, username, credential }) => {
    const hasSecret = username !== undefined && credential !== undefined
    const usable = urls.filter((url) => STUN.test(url) || (hasSecret && TURN.test(url)))
    if (usable.length === 0) return []
    return [{ urls: usable, ...(hasSecret && { username, credential }) }]
  })
}

export const hasRelay = (servers: readonly IceServer[]): boolean =>
  usableServers(servers).some(({ urls }) => [urls].flat().some((url) => TURN.test(url)))

const FIRST_MS = 20
const LATER_MS = 100

/** The first candidates come at once, and the call waits for them. */
export function bundleCandidates(send: (candidates: RTCIceCandidateInit[]) => void) {
  let waiting: RTCIceCandidateInit[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let waitMs = FIRST_MS
  const flush = () => {
    timer = undefined
    waitMs = LATER_MS
    const bundle = waiting
    waiting = []
    send(bundle)
  }
  return {
    add(candidate: RTCIceCandidateInit): void {
      waiting.push(candidate)
      timer ??= setTimeout(flush, waitMs)
    },
    stop(): void {
      clearTimeout(timer)
      waiting = []
    },
  }
}
