import { createStore } from 'zustand/vanilla'

/** The photos that this page has loaded: the address of each in memory, by its path. The oldest first. */
export const photosStore = createStore<{ photos: ReadonlyMap<string, string> }>(() => ({ photos: new Map() }))

/** Forgets all photos: they are of the people of one account. */
export function resetPhotos(): void {
  for (const url of photosStore.getState().photos.values()) URL.revokeObjectURL(url)
  photosStore.setState({ photos: new Map() })
}
