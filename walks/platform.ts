/** Replacements for the browser APIs that Node lacks. */

/** Makes a location and history. No walk has a newer version of the page, so nothing reloads by itself. */
export function newAddressBar(origin: string) {
  const location = { origin, hostname: 'localhost', pathname: '/', search: '' }
  const history = {
    state: null as unknown,
    replaceState(state: unknown, _: string, address: string) {
      const { pathname, search } = new URL(address, 'http://localhost')
      Object.assign(location, { pathname, search })
      history.state = state
    },
  }
  return { location, history }
}

/** Makes the Web Locks of one browser: one holder per name, in the order of requests. */
export function newLocks() {
  const ends = new Map<string, Promise<unknown>>()
  return {
    request<T>(name: string, work: () => Promise<T>): Promise<T> {
      const mine = (ends.get(name) ?? Promise.resolve()).then(work)
      ends.set(
        name,
        mine.then(
          () => undefined,
          () => undefined,
        ),
      )
      return mine
    },
  }
}

/** Makes timers that can be stopped together when their tab closes. */
export function newTimers() {
  const running = new Set<ReturnType<typeof setTimeout>>()
  let isStopped = false
  const kept = (timer: ReturnType<typeof setTimeout>) => {
    running.add(timer)
    return timer
  }
  const clear = (timer: ReturnType<typeof setTimeout> | undefined) => {
    if (timer) running.delete(timer)
    clearTimeout(timer)
  }
  return {
    globals: {
      setTimeout: (work: () => void, ms?: number) => {
        const timer = setTimeout(() => {
          running.delete(timer)
          work()
        }, ms)
        if (isStopped) clearTimeout(timer)
        return kept(timer)
      },
      setInterval: (work: () => void, ms?: number) => kept(setInterval(work, isStopped ? 2 ** 30 : ms)),
      clearTimeout: clear,
      clearInterval: clear,
    },
    stop() {
      isStopped = true
      for (const timer of running) clearTimeout(timer)
      running.clear()
    },
  }
}
