const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Makes a local or session storage. Its keys are its own properties. */
export function newStorage(): Storage {
  const verbs = {
    getItem: (key: string) => (Object.hasOwn(storage, key) ? storage[key] : null),
    setItem: (key: string, value: string) => void Object.assign(storage, { [key]: value }),
    removeItem: (key: string) => void delete storage[key],
    clear() {
      for (const key of Object.keys(storage)) delete storage[key]
    },
  }
  const storage = Object.create(verbs)
  return storage
}

/**
 * Sets the globals that the product's verbs read in a browser: empty storages, and the name of a Firefox on Linux. Returns how to
 * put the globals of before back; as `beforeEach(openBrowser)` that follows each test.
 */
export function openBrowser(): () => void {
  const globals = { localStorage: newStorage(), sessionStorage: newStorage(), navigator: { userAgent: AGENT } }
  const before = Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else Reflect.deleteProperty(globalThis, name)
    }
  }
}
