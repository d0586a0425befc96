const open = new Set<TestChannel>()

/** A BroadcastChannel that carries what a browser's does: Node's refuses a CryptoKey. */
export class TestChannel {
  readonly name: string
  onmessage: ((event: { data: unknown }) => void) | null = null

  constructor(name: string) {
    this.name = name
    open.add(this)
  }

  postMessage(message: unknown): void {
    const others = [...open].filter((one) => one !== this && one.name === this.name)
    for (const other of others) {
      const data = structuredClone(message)
      setTimeout(() => open.has(other) && other.onmessage?.({ data }))
    }
  }

  close(): void {
    open.delete(this)
  }
}
