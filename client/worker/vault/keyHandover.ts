const CHANNEL = 'conclave/row-key'

/** The row key is not extractable. */
export interface HandedKey {
  userId: string
  deviceId: string
  key: CryptoKey
}

/** Hands a row key to workers that wait now. */
export function handKey(handed: HandedKey): void {
  const tabs = new BroadcastChannel(CHANNEL)
  tabs.postMessage(handed)
  tabs.close()
}

/** Resolves to undefined after `stop`. */
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
