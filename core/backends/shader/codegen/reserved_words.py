"""Names that inputs of kernels cannot have in a shader."""

_GLSL = """
active asm attribute bool break buffer bvec2 bvec3 bvec4 case cast centroid class coherent
common const continue default discard dmat2 dmat3 dmat4 do double dvec2 dvec3 dvec4 else enum
extern external false filter fixed flat float for fvec2 fvec3 fvec4 goto half highp hvec2 hvec3
hvec4 if in inline inout input int interface invariant isampler2D ivec2 ivec3 ivec4 layout long
lowp mat2 mat3 mat4 mediump namespace noinline noperspective out output packed partition patch
precise precision public readonly resource restrict return sample sampler2D shared short sizeof
smooth static struct subroutine superp switch template this true typedef uint uniform union
unsigned using usampler2D uvec2 uvec3 uvec4 varying vec2 vec3 vec4 void volatile while writeonly
"""
_OURS = "INF NAN data o out_0 out_data out_size out_texel value"

#: GLSL's keywords and reserved words, and names that all generated programs define.
RESERVED = frozenset((_GLSL + _OURS).split())
