const CHANNEL = 'conclave/row-key'

/** The row key of an open vault. It is not extractable: whoever receives it can use it and cannot read its bytes. */
export interface HandedKey {
  userId: string
  deviceId: string
  key: CryptoKey
}

/** Hands a row key to the workers of this browser that wait for it now. Nothing keeps it for one that comes later. */
export function handKey(handed: HandedKey): void {
  const tabs = new BroadcastChannel(CHANNEL)
  tabs.postMessage(handed)
  tabs.close()
}

/** Waits for a user's row key. The promise resolves to undefined after `stop`. */
export function awaitKey(userId: string): { handed: Promise<HandedKey | undefined>; stop: () => void } {
  const tabs = new BroadcastChannel(CHANNEL)
  let stop = () => tabs.close()
  const handed = new Promise<HandedKey | undefined>((resolve) => {
    stop = () => {
      tabs.close()
      resolve(undefined)
    }
    tabs.onmessage = ({ data }: MessageEvent<HandedKey>) => {
      if (data.userId !== userId) return
      tabs.close()
      resolve(data)
    }
  })
  return { handed, stop }
}
