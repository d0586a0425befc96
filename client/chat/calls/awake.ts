/** Browsers let go when the page is hidden. Returns how to stop. */
export function keepAwake(): () => void {
  const { wakeLock } = globalThis.navigator ?? {}
  if (!wakeLock) return () => undefined
  let held: WakeLockSentinel | undefined
  let isOver = false
  const take = async () => {
    if (isOver || document.visibilityState !== 'visible') return
    const taken = await wakeLock.request('screen').catch(() => undefined)
    if (isOver) return void taken?.release()
    held = taken
  }
  const onVisible = () => void take()
  document.addEventListener('visibilitychange', onVisible)
  void take()
  return () => {
    isOver = true
    document.removeEventListener('visibilitychange', onVisible)
    void held?.release()
  }
}
