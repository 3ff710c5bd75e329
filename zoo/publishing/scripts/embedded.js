/**
 * The modules and weights that are in the page itself, as blocks of base64; undefined where there
 * are none.
 */
export function embeddedSource() {
  const simd = embeddedBytes("zoo-simd");
  if (!simd) return undefined;
  const shards = [];
  for (let number = 1, shard; (shard = embeddedBytes(`zoo-weights-${number}`)); number++) {
    shards.push(shard);
  }
  return { modules: { simd, relaxed: embeddedBytes("zoo-relaxed") }, shards };
}

function embeddedBytes(id) {
  const text = globalThis.document?.getElementById(id)?.textContent;
  return text && Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
}
