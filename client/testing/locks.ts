type Work = (lock: object | null) => unknown

interface Asked {
  name: string
  take: () => void
}

/** navigator.locks of one browser: who asks first has it first. */
export function fakeLocks() {
  const held = new Set<string>()
  let waiting: Asked[] = []

  function free(name: string): void {
    held.delete(name)
    const next = waiting.find((one) => one.name === name)
    waiting = waiting.filter((one) => one !== next)
    next?.take()
  }

  return {
    request(
      name: string,
      ...rest: [work: Work] | [how: { signal?: AbortSignal; ifAvailable?: boolean }, work: Work]
    ): Promise<unknown> {
      const [{ signal, ifAvailable = false }, work] = rest.length === 1 ? [{}, ...rest] : rest
      const take = async () => {
        held.add(name)
        try {
          return await work({ name })
        } finally {
          free(name)
        }
      }
      if (!held.has(name)) return take()
      if (ifAvailable) return Promise.resolve(work(null))
      return new Promise((resolve, reject) => {
        const asked = { name, take: () => resolve(take()) }
        waiting.push(asked)
        signal?.addEventListener('abort', () => {
          if (!waiting.includes(asked)) return
          waiting = waiting.filter((one) => one !== asked)
          reject(signal.reason)
        })
      })
    },
    query: async () => ({ held: [...held].map((name) => ({ name })) }),
  }
}
