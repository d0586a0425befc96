/** In pixels: the largest of the canvas and all frames, because a decoder unpacks each of them. */
export interface Size {
  width: number
  height: number
}

export function grow(size: Size, width: number, height: number): void {
  size.width = Math.max(size.width, width)
  size.height = Math.max(size.height, height)
}

/** '' behind the end. */
export function textAt(view: DataView, at: number, length: number): string {
  if (at + length > view.byteLength) return ''
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, length))
}
