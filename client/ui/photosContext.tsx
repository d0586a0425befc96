import { createContext } from 'react'
import { createStore, type StoreApi } from 'zustand/vanilla'

/** Avatars find photos here, because components of ui/ fetch nothing. */
interface PhotoSource {
  /** The address of each loaded photo in memory, by its path. */
  store: Pick<StoreApi<{ photos: ReadonlyMap<string, string> }>, 'getState' | 'getInitialState' | 'subscribe'>
  /** Has the photo of this path loaded into the store, if there is one. */
  want: (path: string) => void
}

/** Without a source there are monograms. */
export const PhotosContext = createContext<PhotoSource>({
  store: createStore(() => ({ photos: new Map() })),
  want: () => undefined,
})
