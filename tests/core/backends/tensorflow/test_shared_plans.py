"""Tests of plans, compiled functions and stages that hold on every backend, on the tf backend."""

# ruff: noqa: F401 - pytest runs what is imported here

import pytest

import core
from tests.core.compiled_functions.test_compiled_functions import (
    test_a_gradient_through_a_compiled_function,
    test_arrays_and_tensors_share_a_plan_and_arrays_may_change,
    test_compiled_functions_call_each_other,
    test_gradients_inside_of_a_compiled_function,
    test_methods,
    test_random_numbers_are_those_of_the_function_op_by_op,
    test_readings_of_a_variable_stay_when_a_step_changes_it,
    test_results_keep_their_structure,
    test_shapes_dtypes_and_other_values_make_plans_of_their_own,
    test_steps_that_repeat_each_other_are_merged,
    test_variables_are_read_and_assigned_at_each_call,
    test_variables_swap_and_share_data,
)
from tests.core.compiled_functions.test_random_functions import (
    test_gradients as test_gradients_of_random_functions,
)
from tests.core.compiled_functions.test_random_functions import (
    test_results_and_variables as test_random_functions,
)
from tests.core.compiled_functions.test_training_steps import (
    test_batch_norm_and_pooling_in_training,
    test_steps_equal_those_op_by_op,
    test_threads_take_turns_with_the_variables,
)
from tests.core.plan.test_plan_errors import (
    rows,
    test_errors_of_shapes_name_the_graphs_own_nodes,
)
from tests.core.plan.test_plan_runs import (
    graph,
    runs,
    test_all_outputs_at_once,
    test_any_node_can_be_an_output,
    test_any_node_can_be_fed,
    test_constants_can_be_fed,
    test_coroutines,
    test_gradients,
    test_inputs_of_other_layouts_and_dtypes,
    test_no_tensor_leaks,
    test_results_may_be_disposed_of,
    test_tidy_disposes_of_all_but_kept_results,
    x,
)
from tests.core.plan.test_stages import (
    exits,
    many_iterations,
    test_branches_of_functions,
    test_control_flow_runs_as_without_plans,
    test_hash_tables,
    test_heavy_work_after_a_choice_by_data,
    test_heavy_work_after_a_loop_is_a_second_plan,
    test_heavy_work_before_a_table_is_a_plan,
    test_plans_on_both_sides_of_a_loop,
    test_random_numbers_are_drawn_once_in_a_run,
    test_strings_are_left_to_the_executor,
    w,
)


@pytest.fixture(autouse=True)
def _on_tf():
    with core.backend("tf"):
        yield
