/** A tracked file: its path from the root, and its text ('' for binary files). */
export interface TrackedFile {
  path: string
  text: string
}
