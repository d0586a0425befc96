import { CryptoFailure } from './failure.ts'

/** Throws 'not_loaded' if the browser is offline or the server was updated. The next call tries again. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const text = 'A part of this page could not be loaded. Check the connection and try again, or load the page again'
    throw new CryptoFailure('not_loaded', text, { cause: error })
  }
}

/** Loads a part once, so that its calls keep their order: no piece of a file overtakes its opening. Throws like loadPart. */
export function partOf<T>(load: () => Promise<T>): () => Promise<T> {
  let part: Promise<T> | undefined
  return () => {
    part ??= loadPart(load).catch((error: unknown) => {
      part = undefined
      throw error
    })
    return part
  }
}
