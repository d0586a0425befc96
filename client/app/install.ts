import { createStore } from 'zustand/vanilla'

/** Chromium's offer to install the page as an app. Other browsers have it in their menus alone. */
interface InstallEvent extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>
}

/** The browser's offer, kept until the person takes it in the settings; null where there is none. */
export const installStore = createStore<{ offer: InstallEvent | null }>(() => ({ offer: null }))

/** Keeps the browser's offer, which would else show a bar of its own, and drops it once it was taken. */
export function watchInstall(): void {
  globalThis.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    installStore.setState({ offer: event as InstallEvent })
  })
  globalThis.addEventListener('appinstalled', () => installStore.setState({ offer: null }))
}

/** Asks the person by the browser's own dialog. An offer counts once. */
export async function install(): Promise<void> {
  const { offer } = installStore.getState()
  installStore.setState({ offer: null })
  await offer?.prompt()
}
